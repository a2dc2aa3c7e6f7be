/** What is read of Markdown, and what stays text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMarkdown } from '../src/webview/markdown.ts';

test('a block of code keeps its lines as they are', () => {
  assert.deepEqual(parseMarkdown('So:\n\n```python\ndef f():\n\n    return **1**\n```\nDone.'), [
    { kind: 'paragraph', runs: [{ kind: 'text', text: 'So:' }] },
    { kind: 'code', language: 'python', code: 'def f():\n\n    return **1**' },
    { kind: 'paragraph', runs: [{ kind: 'text', text: 'Done.' }] },
  ]);
});

test('a block that is still being written ends with the text', () => {
  assert.deepEqual(parseMarkdown('```\na = 1\nb'), [{ kind: 'code', language: '', code: 'a = 1\nb' }]);
});

test('a longer fence holds a shorter one', () => {
  assert.deepEqual(parseMarkdown('````\n```\n````'), [{ kind: 'code', language: '', code: '```' }]);
});

test('headings, lists and paragraphs', () => {
  const kinds = parseMarkdown('# One\ntext\nmore\n- a\n- b\n\n1. x\n2. y').map((block) => block.kind);
  assert.deepEqual(kinds, ['heading', 'paragraph', 'list', 'list']);
  const [list] = parseMarkdown('1. x\n2. `y`');
  assert.deepEqual(list, {
    kind: 'list',
    isOrdered: true,
    items: [[{ kind: 'text', text: 'x' }], [{ kind: 'code', text: 'y' }]],
  });
});

test('runs within a line', () => {
  const [block] = parseMarkdown('use `a*b` and **not** *c*, x*y*z, 2 * 3 * 4');
  assert.deepEqual(block, {
    kind: 'paragraph',
    runs: [
      { kind: 'text', text: 'use ' },
      { kind: 'code', text: 'a*b' },
      { kind: 'text', text: ' and ' },
      { kind: 'strong', text: 'not' },
      { kind: 'text', text: ' ' },
      { kind: 'em', text: 'c' },
      { kind: 'text', text: ', x*y*z, 2 * 3 * 4' },
    ],
  });
});

test('what a model writes is never taken for HTML', () => {
  assert.deepEqual(parseMarkdown('<img src=x onerror=alert(1)>'), [
    { kind: 'paragraph', runs: [{ kind: 'text', text: '<img src=x onerror=alert(1)>' }] },
  ]);
});
