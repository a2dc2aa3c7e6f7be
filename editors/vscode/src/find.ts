/**
 * Where the server program may lie, best place first. Pure: what is there is asked through `isProgram`.
 */
import * as path from 'node:path';

/** All that is known about places. */
export interface Places {
  /** `codeassistd.server.path`, or nothing. */
  readonly setting: string;
  /** The interpreter of the active Python environment, if one is known. */
  readonly python: string | undefined;
  /** The environment's `PATH`. */
  readonly searchPath: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Folders whose content may be somebody else's; empty where the workspace is trusted. */
  readonly untrusted: readonly string[];
}

/** A server program, or why there is none. */
export type Found = { readonly program: string; readonly from: string } | { readonly missing: string };

/**
 * The program to start.
 *
 * A path that the user has set is taken or refused, never replaced: another version than the one asked for would be a
 * riddle.
 */
export function findServer(places: Places, isProgram: (file: string) => boolean): Found {
  const { join, isAbsolute } = onPlatform(places.platform);
  if (places.setting !== '') {
    const program = places.setting.startsWith('~') ? join(places.home, places.setting.slice(1)) : places.setting;
    if (!isAbsolute(program)) {
      return { missing: `codeassistd.server.path is "${places.setting}"; it must be an absolute path` };
    }
    return isProgram(program)
      ? { program, from: 'codeassistd.server.path' }
      : { missing: `codeassistd.server.path is "${places.setting}", but there is no program` };
  }
  const found = candidates(places).find(
    (candidate) => !isInside(candidate.program, places.untrusted, places.platform) && isProgram(candidate.program),
  );
  return found ?? { missing: 'the program codeassistd was found neither in the active Python environment nor on PATH' };
}

function candidates(places: Places): { program: string; from: string }[] {
  const { join, dirname, delimiter, isAbsolute } = onPlatform(places.platform);
  const name = places.platform === 'win32' ? 'codeassistd.exe' : 'codeassistd';
  const folders: { folder: string; from: string }[] = [];
  if (places.python !== undefined) {
    folders.push({ folder: dirname(places.python), from: 'the active Python environment' });
  }
  // A relative entry of PATH would be looked up in whatever folder the editor happens to stand in.
  for (const folder of places.searchPath.split(delimiter).filter((entry) => isAbsolute(entry))) {
    folders.push({ folder, from: 'PATH' });
  }
  // Where pipx and uv put programs; editors started from a desktop often do not have it on PATH.
  folders.push({ folder: join(places.home, '.local', 'bin'), from: 'the programs of this user' });
  return folders.map(({ folder, from }) => ({ program: join(folder, name), from }));
}

function isInside(file: string, folders: readonly string[], platform: NodeJS.Platform): boolean {
  const { relative, isAbsolute } = onPlatform(platform);
  return folders.some((folder) => {
    const way = relative(folder, file);
    return way !== '' && !way.startsWith('..') && !isAbsolute(way);
  });
}

function onPlatform(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}
