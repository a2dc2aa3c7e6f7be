import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explicitSettings, toggled, type Inspected } from '../src/settings.ts';

const KEYS = [
  'codeassistd.server.path',
  'codeassistd.completion.enabled',
  'codeassistd.context.max_tokens',
  'codeassistd.chat.summary',
];

function settings(values: Record<string, Inspected>): Record<string, Record<string, unknown>> {
  return explicitSettings(KEYS, (key) => values[key]);
}

test('a default is not sent: it would outrank the user\'s settings file', () => {
  assert.deepEqual(settings({ 'codeassistd.completion.enabled': {} }), {});
});

test('what is set is sent, the nearest level first, false and zero too', () => {
  assert.deepEqual(
    settings({
      'codeassistd.completion.enabled': { globalValue: true, workspaceValue: false },
      'codeassistd.context.max_tokens': { globalValue: 0 },
      'codeassistd.chat.summary': { workspaceFolderValue: 'extract' },
    }),
    { completion: { enabled: false }, context: { max_tokens: 0 }, chat: { summary: 'extract' } },
  );
});

test('settings of the extension alone stay in the editor: the server refuses names that it does not know', () => {
  assert.deepEqual(settings({ 'codeassistd.server.path': { globalValue: '/x' } }), {});
});

test('toggling a language twice changes nothing', () => {
  assert.deepEqual(toggled(['markdown'], 'python'), ['markdown', 'python']);
  assert.deepEqual(toggled(['markdown', 'python'], 'python'), ['markdown']);
});
