import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer, type Places } from '../src/find.ts';

const PLACES: Places = {
  setting: '',
  python: '/venv/bin/python',
  searchPath: '/usr/bin:relative:/opt/bin',
  home: '/home/ada',
  platform: 'linux',
  untrusted: [],
};

function only(...files: string[]): (file: string) => boolean {
  return (file) => files.includes(file);
}

test('the setting comes before everything else', () => {
  const found = findServer({ ...PLACES, setting: '/srv/codeassistd' }, only('/srv/codeassistd', '/venv/bin/codeassistd'));

  assert.deepEqual(found, { program: '/srv/codeassistd', from: 'codeassistd.server.path' });
});

test('a setting that leads nowhere is said, and nothing else is started in its place', () => {
  const found = findServer({ ...PLACES, setting: '/srv/codeassistd' }, only('/venv/bin/codeassistd'));

  assert.deepEqual(found, { missing: 'codeassistd.server.path is "/srv/codeassistd", but there is no program' });
});

test('a relative setting is refused: it would mean another program in each folder', () => {
  const found = findServer({ ...PLACES, setting: 'bin/codeassistd' }, () => true);

  assert.deepEqual(found, { missing: 'codeassistd.server.path is "bin/codeassistd"; it must be an absolute path' });
});

test('a tilde in the setting is the home folder', () => {
  const found = findServer({ ...PLACES, setting: '~/bin/codeassistd' }, only('/home/ada/bin/codeassistd'));

  assert.deepEqual(found, { program: '/home/ada/bin/codeassistd', from: 'codeassistd.server.path' });
});

test('the active Python environment comes before PATH', () => {
  const found = findServer(PLACES, only('/venv/bin/codeassistd', '/usr/bin/codeassistd'));

  assert.deepEqual(found, { program: '/venv/bin/codeassistd', from: 'the active Python environment' });
});

test('PATH is walked in its order, without its relative entries', () => {
  const found = findServer(PLACES, only('relative/codeassistd', '/opt/bin/codeassistd'));

  assert.deepEqual(found, { program: '/opt/bin/codeassistd', from: 'PATH' });
});

test('programs of this user are found though a desktop does not have them on PATH', () => {
  const found = findServer(PLACES, only('/home/ada/.local/bin/codeassistd'));

  assert.deepEqual(found, { program: '/home/ada/.local/bin/codeassistd', from: 'the programs of this user' });
});

test('a program inside of a workspace that is not trusted is not started', () => {
  const places = { ...PLACES, python: '/work/repo/.venv/bin/python', untrusted: ['/work/repo'] };

  assert.deepEqual(findServer(places, only('/work/repo/.venv/bin/codeassistd', '/usr/bin/codeassistd')), {
    program: '/usr/bin/codeassistd',
    from: 'PATH',
  });
  assert.ok('missing' in findServer(places, only('/work/repo/.venv/bin/codeassistd')));
});

test('on Windows the program has another name and the list another separator', () => {
  const places: Places = { ...PLACES, python: undefined, searchPath: 'C:\\a;C:\\b', home: 'C:\\ada', platform: 'win32' };

  assert.deepEqual(findServer(places, only('C:\\b\\codeassistd.exe')), { program: 'C:\\b\\codeassistd.exe', from: 'PATH' });
});
