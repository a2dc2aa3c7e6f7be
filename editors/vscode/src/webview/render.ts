/** Turns as elements of the page. Texts go in as texts: nothing that a model says is read as HTML. */
import type { FromPage, Part, Turn } from '../chat/wire.ts';
import { parseMarkdown, type Block, type Run } from './markdown.ts';

export type Say = (message: FromPage) => void;

const MANNERS = { code: 'code', strong: 'strong', em: 'em' } as const;

export function turnElement(turn: Turn, say: Say): HTMLElement {
  const question = element('p', 'question', turn.question);
  question.prepend(element('span', 'hidden', 'You: '));
  return element('article', 'turn', question, answerElement(turn.answer, say), ...footOf(turn, say));
}

export function answerElement(text: string, say: Say): HTMLElement {
  return element('div', 'answer', ...parseMarkdown(text).map((block) => blockElement(block, say)));
}

function footOf(turn: Turn, say: Say): HTMLElement[] {
  const notes = turn.notes.map((note) => element('p', turn.isFailed ? 'note failed' : 'note', note));
  if (turn.parts.length === 0) {
    return notes;
  }
  const parts = turn.parts.map((part) => element('li', '', ...partOf(part, say)));
  return [...notes, element('ul', 'parts', ...parts)];
}

function partOf(part: Part, say: Say): (Node | string)[] {
  const { uri } = part;
  const label = uri === null ? part.label : button(part.label, 'link', () => say({ kind: 'open', uri }));
  return [label, ` ${part.n_tokens} tokens`];
}

function blockElement(block: Block, say: Say): HTMLElement {
  switch (block.kind) {
    case 'code':
      return codeElement(block.code, block.language, say);
    case 'heading':
      return element('h3', '', ...runElements(block.runs));
    case 'list':
      return element(
        block.isOrdered ? 'ol' : 'ul',
        '',
        ...block.items.map((item) => element('li', '', ...runElements(item))),
      );
    case 'paragraph':
      return element('p', '', ...runElements(block.runs));
  }
}

function codeElement(code: string, language: string, say: Say): HTMLElement {
  const bar = element(
    'div',
    'bar',
    element('span', 'language', language),
    button('Insert', '', () => say({ kind: 'insert', code })),
    button('Copy', '', () => say({ kind: 'copy', code })),
  );
  return element('figure', 'code', bar, element('pre', '', element('code', '', code)));
}

function runElements(runs: readonly Run[]): (Node | string)[] {
  return runs.map((run) => (run.kind === 'text' ? run.text : element(MANNERS[run.kind], '', run.text)));
}

function button(label: string, className: string, pressed: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = label;
  made.addEventListener('click', pressed);
  return made;
}

function element(name: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') {
    made.className = className;
  }
  made.append(...content);
  return made;
}
