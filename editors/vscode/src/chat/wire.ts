/** What goes over the wire of a conversation: to the server, and to the page that shows it. Pure. */

export const CHAT = 'codeassistd/chat';

/** A part of what was read for an answer. */
export interface Part {
  readonly label: string;
  readonly uri: string | null;
  readonly n_tokens: number;
}

/** The server's answer to a question, as far as it is shown. */
export interface Reply {
  readonly turn: number;
  readonly text: string;
  readonly parts: readonly Part[];
  readonly ended: 'stop' | 'length';
  readonly n_prompt: number;
  readonly n_cached: number;
  readonly warnings: readonly string[];
}

/** One kept conversation. */
export interface Listed {
  readonly session: string;
  readonly n_turns: number;
  readonly updated: number;
}

/** One saying of a kept conversation. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The answer did not come to its end. */
  readonly is_cut: boolean;
}

/** A question with its answer, as the page shows it. */
export interface Turn {
  readonly question: string;
  readonly answer: string;
  readonly parts: readonly Part[];
  /** What is to be said about the answer, a line each. */
  readonly notes: readonly string[];
  readonly isFailed: boolean;
}

/** All that the page shows. */
export interface View {
  readonly session: string;
  readonly turns: readonly Turn[];
  readonly isAnswering: boolean;
  /** What goes along with the next question. */
  readonly about: string;
}

/** What the page is told. */
export type ToPage =
  | { readonly kind: 'show'; readonly view: View }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'about'; readonly about: string }
  | { readonly kind: 'focus' };

/** What the page says. */
export type FromPage =
  | { readonly kind: 'ready' | 'cancel' }
  | { readonly kind: 'ask'; readonly text: string }
  | { readonly kind: 'insert' | 'copy'; readonly code: string }
  | { readonly kind: 'open'; readonly uri: string };

/** The text of a piece of an answer; empty where the server tells something else. */
export function deltaOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('text' in value)) {
    return '';
  }
  return value.kind === 'delta' && typeof value.text === 'string' ? value.text : '';
}
