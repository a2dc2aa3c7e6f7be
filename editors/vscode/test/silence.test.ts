import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silenceOf } from '../src/silence.ts';

test('a request that gave nothing has its reason', () => {
  assert.equal(silenceOf({ outcome: 'silent', reason: 'in the middle of a word' }), 'in the middle of a word');
  assert.equal(silenceOf({ outcome: 'empty', reason: 'the model had nothing to add' }), 'the model had nothing to add');
});

test('a request that was shown or overtaken has none', () => {
  assert.equal(silenceOf({ outcome: 'shown', reason: 'one statement' }), '');
  assert.equal(silenceOf({ outcome: 'superseded', reason: 'a newer request' }), '');
});

test('anything odd has none', () => {
  assert.equal(silenceOf(null), '');
  assert.equal(silenceOf({ outcome: 'silent' }), '');
  assert.equal(silenceOf({ outcome: 1, reason: 2 }), '');
});
