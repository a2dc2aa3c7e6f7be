/** The little of Markdown that answers use, as a tree. Pure; what it does not know stays text. */

/** A run of letters in one manner. */
export interface Run {
  readonly kind: 'text' | 'code' | 'strong' | 'em';
  readonly text: string;
}

export type Block =
  | { readonly kind: 'code'; readonly language: string; readonly code: string }
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Run[])[] }
  | { readonly kind: 'paragraph'; readonly runs: readonly Run[] };

const FENCE = /^\s*(`{3,}|~{3,})\s*(\S*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const RUN = /`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g;

/** The blocks of a text; a block of code that is still being written ends with the text. */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as string;
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const end = closing(lines, index + 1, fence[1] as string);
      blocks.push({ kind: 'code', language: fence[2] as string, code: lines.slice(index + 1, end).join('\n') });
      index = end + 1;
    } else if (line.trim() === '') {
      index += 1;
    } else {
      const [block, next] = plain(lines, index);
      blocks.push(block);
      index = next;
    }
  }
  return blocks;
}

/** The row of the fence that ends a block, or behind the last one. */
function closing(lines: readonly string[], from: number, marks: string): number {
  for (let index = from; index < lines.length; index += 1) {
    const line = (lines[index] as string).trim();
    if (line.startsWith(marks) && line === (marks[0] as string).repeat(line.length)) {
      return index;
    }
  }
  return lines.length;
}

/** A heading, a list or a paragraph, and the row behind it. */
function plain(lines: readonly string[], from: number): [Block, number] {
  const heading = HEADING.exec(lines[from] as string);
  if (heading !== null) {
    return [{ kind: 'heading', level: (heading[1] as string).length, runs: runsOf(heading[2] as string) }, from + 1];
  }
  const first = ITEM.exec(lines[from] as string);
  let end = from + 1;
  while (end < lines.length && belongs(lines[end] as string, first !== null)) {
    end += 1;
  }
  const own = lines.slice(from, end);
  if (first !== null) {
    const items = own.map((line) => runsOf((ITEM.exec(line) as RegExpExecArray)[2] as string));
    return [{ kind: 'list', isOrdered: first[1] !== undefined, items }, end];
  }
  return [{ kind: 'paragraph', runs: runsOf(own.join('\n')) }, end];
}

function belongs(line: string, isInList: boolean): boolean {
  if (isInList) {
    return ITEM.test(line);
  }
  return line.trim() !== '' && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line);
}

function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let done = 0;
  for (const found of text.matchAll(RUN)) {
    if (found.index > done) {
      runs.push({ kind: 'text', text: text.slice(done, found.index) });
    }
    const [whole, code, strong, em] = found;
    runs.push(
      code !== undefined
        ? { kind: 'code', text: code }
        : strong !== undefined
          ? { kind: 'strong', text: strong }
          : { kind: 'em', text: em as string },
    );
    done = found.index + whole.length;
  }
  if (done < text.length) {
    runs.push({ kind: 'text', text: text.slice(done) });
  }
  return runs;
}
