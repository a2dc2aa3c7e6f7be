import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faceOf, healthOf, readHealth, type Signs } from '../src/health.ts';

const READY: Signs = {
  missing: '',
  told: { state: 'ready', detail: '' },
  isOff: false,
  language: 'python',
  isLanguageOff: false,
  isWorking: false,
  silence: '',
};

test('a server that said nothing yet is starting', () => {
  assert.deepEqual(healthOf({ ...READY, told: undefined }), { state: 'starting', detail: '' });
});

test('what keeps suggestions away comes before what goes on', () => {
  const error = { state: 'error', detail: 'no model' } as const;

  assert.deepEqual(healthOf({ ...READY, missing: 'not found', told: error }), { state: 'missing', detail: 'not found' });
  assert.deepEqual(healthOf({ ...READY, told: error, isOff: true }), error);
  assert.equal(healthOf({ ...READY, isOff: true, isWorking: true }).state, 'off');
  assert.equal(healthOf({ ...READY, isWorking: true, silence: 'in the middle of a word' }).state, 'working');
});

test('a language that is off is named', () => {
  assert.deepEqual(healthOf({ ...READY, isLanguageOff: true }), {
    state: 'off',
    detail: 'off for python (codeassistd.completion.languages_off)',
  });
});

test('silence tells its reason', () => {
  assert.deepEqual(healthOf({ ...READY, silence: 'the file may hold secrets' }), {
    state: 'silent',
    detail: 'the file may hold secrets',
  });
});

test('the face has an icon, a word and the reason', () => {
  assert.deepEqual(faceOf({ state: 'error', detail: 'no model is chosen' }), {
    text: '$(error) codeassistd',
    tooltip: 'Error: no model is chosen',
    tone: 'error',
  });
  assert.deepEqual(faceOf({ state: 'ready', detail: '' }), { text: '$(sparkle) codeassistd', tooltip: 'Ready', tone: 'plain' });
});

test('an odd notification counts as nothing said', () => {
  assert.equal(readHealth(null), undefined);
  assert.equal(readHealth({ state: 'dancing' }), undefined);
  assert.equal(readHealth({ state: 7, detail: 'x' }), undefined);
  assert.deepEqual(readHealth({ state: 'loading', detail: 9 }), { state: 'loading', detail: '' });
});
