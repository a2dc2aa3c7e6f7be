/** Why a request gave nothing, from the server's span of it. Pure. */

/** Endings that say nothing about the place: the request was overtaken, or the model is not there yet. */
const PASSING = new Set(['superseded', 'cancelled', 'loading', 'shown']);

/** The reason in one line; empty if the request gave something or says nothing. */
export function silenceOf(span: unknown): string {
  if (typeof span !== 'object' || span === null || !('outcome' in span) || !('reason' in span)) {
    return '';
  }
  const { outcome, reason } = span;
  return typeof outcome === 'string' && typeof reason === 'string' && !PASSING.has(outcome) ? reason : '';
}
