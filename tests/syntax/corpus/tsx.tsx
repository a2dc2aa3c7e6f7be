import { useState } from "react";
// ^ import react useState

interface Props {
//        ^ interface Props | interface Props
  title: string;
//^ field Props.title | title: string
}

export const Panel = ({ title }: Props): JSX.Element => {
//           ^ function Panel | const Panel = ({ title }: Props): JSX.Element =>
//                               ^ use Props
  const [open, setOpen] = useState<boolean>(false);
//                        ^ use useState
  return <Row onClick={() => setOpen(!open)}>{title}</Row>;
//        ^ use Row
};
