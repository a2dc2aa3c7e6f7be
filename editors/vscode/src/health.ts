/** How things stand, in one word and a line; and how that looks in the status bar. Pure. */

/** The server's own states, and those that only the editor knows: missing, off, silent. */
export type State = 'missing' | 'starting' | 'loading' | 'indexing' | 'ready' | 'working' | 'silent' | 'off' | 'error';

/** One state with the reason for it. */
export interface Health {
  readonly state: State;
  readonly detail: string;
}

/** What the status bar shows. */
export interface Face {
  readonly text: string;
  readonly tooltip: string;
  readonly tone: 'plain' | 'warning' | 'error';
}

/** What is known at a moment, from the most to the least telling. */
export interface Signs {
  /** Why no server runs; empty while one does. */
  readonly missing: string;
  /** What the server said last; undefined before it said anything. */
  readonly told: Health | undefined;
  readonly isOff: boolean;
  readonly language: string;
  readonly isLanguageOff: boolean;
  readonly isWorking: boolean;
  /** Why the newest request gave nothing; empty if it gave something. */
  readonly silence: string;
}

const ICONS: Readonly<Record<State, string>> = {
  missing: '$(circle-slash)',
  starting: '$(loading~spin)',
  loading: '$(loading~spin)',
  indexing: '$(sync~spin)',
  ready: '$(sparkle)',
  working: '$(ellipsis)',
  silent: '$(dash)',
  off: '$(bell-slash)',
  error: '$(error)',
};

const WORDS: Readonly<Record<State, string>> = {
  missing: 'No server',
  starting: 'Starting',
  loading: 'Loading the model',
  indexing: 'Reading the workspace',
  ready: 'Ready',
  working: 'Working',
  silent: 'Nothing to suggest here',
  off: 'Off',
  error: 'Error',
};

/** The one state that says most: what keeps suggestions away comes before what goes on. */
export function healthOf(signs: Signs): Health {
  if (signs.missing !== '') {
    return { state: 'missing', detail: signs.missing };
  }
  if (signs.told === undefined) {
    return { state: 'starting', detail: '' };
  }
  if (signs.told.state === 'error' || signs.told.state === 'loading' || signs.told.state === 'starting') {
    return signs.told;
  }
  if (signs.isOff) {
    return { state: 'off', detail: 'codeassistd.completion.enabled is off' };
  }
  if (signs.isLanguageOff) {
    return { state: 'off', detail: `off for ${signs.language} (codeassistd.completion.languages_off)` };
  }
  if (signs.isWorking) {
    return { state: 'working', detail: '' };
  }
  if (signs.silence !== '') {
    return { state: 'silent', detail: signs.silence };
  }
  return signs.told;
}

/** How a state looks; the words never jump about while letters are typed, only the icon changes. */
export function faceOf(health: Health): Face {
  return {
    text: `${ICONS[health.state]} codeassistd`,
    tooltip: health.detail === '' ? WORDS[health.state] : `${WORDS[health.state]}: ${health.detail}`,
    tone: health.state === 'error' ? 'error' : health.state === 'missing' ? 'warning' : 'plain',
  };
}

/** What the server's notification says; anything odd counts as nothing said. */
export function readHealth(params: unknown): Health | undefined {
  if (typeof params !== 'object' || params === null || !('state' in params)) {
    return undefined;
  }
  const { state } = params;
  const detail = 'detail' in params && typeof params.detail === 'string' ? params.detail : '';
  return typeof state === 'string' && state in ICONS ? { state: state as State, detail } : undefined;
}
