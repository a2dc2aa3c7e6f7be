/** What becomes of the turns of a conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, asked, ended, failed, grown, nameOf, restored } from '../src/chat/conversation.ts';
import { deltaOf, type Reply } from '../src/chat/wire.ts';

const REPLY: Reply = {
  turn: 1,
  text: 'Use a set.',
  parts: [{ label: 'shop.py', uri: 'file:///w/shop.py', n_tokens: 12 }],
  ended: 'stop',
  n_prompt: 80,
  n_cached: 60,
  warnings: ['no template'],
};

test('an answer grows, and the whole takes its place', () => {
  const growing = grown(grown(asked([], 'How?'), 'Use '), 'a s');
  assert.equal(growing[0]?.answer, 'Use a s');
  const [turn] = answered(growing, REPLY);
  assert.deepEqual(turn, {
    question: 'How?',
    answer: 'Use a set.',
    parts: REPLY.parts,
    notes: ['no template', 'Read 80 tokens, 60 of them from the cache.'],
    isFailed: false,
  });
});

test('a cut answer says so', () => {
  const [turn] = answered(asked([], 'How?'), { ...REPLY, ended: 'length' });
  assert.equal(turn?.notes[0], 'The answer is as long as chat.max_tokens allows; ask to go on.');
});

test('what was said stays when the question is taken back or fails', () => {
  const growing = grown(asked([], 'How?'), 'Use');
  assert.deepEqual([ended(growing)[0]?.answer, ended(growing)[0]?.notes], ['Use', ['Ended by you.']]);
  const [turn] = failed(growing, 'no model');
  assert.deepEqual([turn?.answer, turn?.notes, turn?.isFailed], ['Use', ['no model'], true]);
});

test('only the last turn changes', () => {
  const turns = grown(asked(grown(asked([], 'one'), '1'), 'two'), '2');
  assert.deepEqual(turns.map((turn) => turn.answer), ['1', '2']);
});

test('a kept conversation is read turn by turn', () => {
  const turns = restored([
    { role: 'user', text: 'one', is_cut: false },
    { role: 'assistant', text: '1', is_cut: false },
    { role: 'user', text: 'two', is_cut: false },
    { role: 'assistant', text: '', is_cut: true },
  ]);
  assert.deepEqual(turns.map((turn) => [turn.question, turn.answer, turn.notes]), [
    ['one', '1', []],
    ['two', '', ['The answer was cut short; ask again, or ask to go on.']],
  ]);
});

test('a conversation is named by its first question', () => {
  assert.equal(nameOf('How is\n the price  found?', []), 'How is the price found?');
  assert.equal(nameOf('How?', ['How?', 'How? 2']), 'How? 3');
  assert.equal(nameOf('x'.repeat(99), []), 'x'.repeat(40));
  assert.equal(nameOf('\t\n', []), 'conversation');
});

test('pieces of other kinds have no text', () => {
  assert.equal(deltaOf({ kind: 'delta', text: 'a' }), 'a');
  assert.equal(deltaOf({ kind: 'begin', text: 'a' }), '');
  assert.equal(deltaOf({ kind: 'delta', text: 1 }), '');
  assert.equal(deltaOf(null), '');
});
