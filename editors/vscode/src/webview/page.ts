/** The page of the chat view: shows what it is told, and says what the user does. It keeps nothing but a draft. */
import type { FromPage, ToPage, Turn, View } from '../chat/wire.ts';
import { answerElement, turnElement } from './render.ts';

interface Host {
  postMessage(message: FromPage): void;
  getState(): { readonly draft: string } | undefined;
  setState(state: { readonly draft: string }): void;
}
declare function acquireVsCodeApi(): Host;

/** So near the end, a reader wants to see what comes. */
const NEAR_PX = 40;

const host = acquireVsCodeApi();
const turns = byId('turns');
const form = byId('ask') as HTMLFormElement;
const question = byId('question') as HTMLTextAreaElement;
const about = byId('about');
const send = byId('send');
const stop = byId('stop');
/** The turns that stand on the page, each as its text. */
let shown: readonly string[] = [];
let answer = '';
let isAnswering = false;
let isDrawing = false;

const say = (message: FromPage): void => host.postMessage(message);

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case 'show':
      show(data.view);
      break;
    case 'delta':
      answer += data.text;
      drawSoon();
      break;
    case 'about':
      about.textContent = data.about;
      break;
    case 'focus':
      question.focus();
      break;
  }
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
question.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    ask();
  }
});
question.addEventListener('input', () => host.setState({ draft: question.value }));
stop.addEventListener('click', () => say({ kind: 'cancel' }));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isAnswering) {
    say({ kind: 'cancel' });
  }
});
question.value = host.getState()?.draft ?? '';
say({ kind: 'ready' });

function ask(): void {
  const text = question.value.trim();
  if (text === '' || isAnswering) {
    return;
  }
  question.value = '';
  host.setState({ draft: '' });
  say({ kind: 'ask', text });
}

function show(view: View): void {
  const isFollowed = isAtEnd() || view.turns.length > shown.length;
  isAnswering = view.isAnswering;
  answer = view.turns.at(-1)?.answer ?? '';
  about.textContent = view.about;
  send.hidden = isAnswering;
  stop.hidden = !isAnswering;
  turns.setAttribute('aria-busy', String(isAnswering));
  showTurns(view.turns);
  if (isFollowed) {
    turns.scrollTop = turns.scrollHeight;
  }
}

/** Only what has changed is drawn: the rest keeps the focus, and is not read aloud again. */
function showTurns(all: readonly Turn[]): void {
  const texts = all.map((turn) => JSON.stringify(turn));
  for (const [index, turn] of all.entries()) {
    const there = turns.children[index];
    if (there === undefined) {
      turns.append(turnElement(turn, say));
    } else if (texts[index] !== shown[index]) {
      there.replaceWith(turnElement(turn, say));
    }
  }
  while (turns.children.length > all.length) {
    turns.lastElementChild?.remove();
  }
  shown = texts;
}

function isAtEnd(): boolean {
  return turns.scrollHeight - turns.scrollTop - turns.clientHeight < NEAR_PX;
}

/** Once a frame, however many pieces come: each time the whole answer is read anew. */
function drawSoon(): void {
  if (isDrawing) {
    return;
  }
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    const isFollowed = isAtEnd();
    turns.lastElementChild?.querySelector('.answer')?.replaceWith(answerElement(answer, say));
    if (isFollowed) {
      turns.scrollTop = turns.scrollHeight;
    }
  });
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}
