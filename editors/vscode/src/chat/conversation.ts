/** A conversation as a list of turns, and what becomes of it. Pure. */
import type { Reply, Said, Turn } from './wire.ts';

const EMPTY = { answer: '', parts: [], notes: [], isFailed: false };
const MAX_NAME = 40;
const CUT_SHORT = 'The answer was cut short; ask again, or ask to go on.';

/** The turns of a kept conversation. */
export function restored(said: readonly Said[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, text, is_cut } of said) {
    const last = turns.at(-1);
    if (role === 'user' || last === undefined) {
      turns.push({ ...EMPTY, question: role === 'user' ? text : '' });
    }
    if (role === 'assistant') {
      turns[turns.length - 1] = { ...(turns.at(-1) as Turn), answer: text, notes: is_cut ? [CUT_SHORT] : [] };
    }
  }
  return turns;
}

/** A question was asked. */
export function asked(turns: readonly Turn[], question: string): Turn[] {
  return [...turns, { ...EMPTY, question }];
}

/** The answer to the last question goes on. */
export function grown(turns: readonly Turn[], text: string): Turn[] {
  return withLast(turns, (last) => ({ ...last, answer: last.answer + text }));
}

/** The answer to the last question is complete. */
export function answered(turns: readonly Turn[], reply: Reply): Turn[] {
  const cut = reply.ended === 'length' ? ['The answer is as long as chat.max_tokens allows; ask to go on.'] : [];
  const read = `Read ${reply.n_prompt} tokens, ${reply.n_cached} of them from the cache.`;
  return withLast(turns, (last) => ({
    ...last,
    answer: reply.text,
    parts: reply.parts,
    notes: [...cut, ...reply.warnings, read],
  }));
}

/** The last question was taken back; what was said until then stays. */
export function ended(turns: readonly Turn[]): Turn[] {
  return withLast(turns, (last) => ({ ...last, notes: ['Ended by you.'] }));
}

/** The last question was not answered, or not to the end. */
export function failed(turns: readonly Turn[], why: string): Turn[] {
  return withLast(turns, (last) => ({ ...last, notes: [why], isFailed: true }));
}

/** A name for a conversation by its first question, which no other has. */
export function nameOf(question: string, taken: readonly string[]): string {
  const words = question.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').replace(/ +/g, ' ').trim();
  const base = [...words].slice(0, MAX_NAME).join('').trim() || 'conversation';
  let name = base;
  for (let number = 2; taken.includes(name); number += 1) {
    name = `${base} ${number}`;
  }
  return name;
}

function withLast(turns: readonly Turn[], change: (last: Turn) => Turn): Turn[] {
  return turns.map((turn, index) => (index === turns.length - 1 ? change(turn) : turn));
}
