/** A stretch of time in one phase; `to` is null while it lasts. Moments are ISO. */
export interface PhaseSpan {
  phase: string;
  reason: string | null;
  from: string;
  to: string | null;
}

/** What an event tells of a phase; older versions may have stored other things. */
interface Told {
  at: string;
  data: unknown;
}

/** Spans at most: of a research that changed its phase more often the last ones. */
const MOST = 200;

/**
 * The phases of a research, as its events tell them. Before the first of them it had the phase that this one left; a research
 * that was begun by a version without events has that of now. What only a reason changed stays one span.
 */
export function phaseSpans(
  told: readonly Told[],
  { createdAt, now }: { createdAt: string; now: { phase: string; reason: string | null } },
): PhaseSpan[] {
  const changes = told.flatMap(({ at, data }) => (isChange(data) ? [{ at, ...data }] : []));
  const [first] = changes;
  if (!first) return [{ ...now, from: createdAt, to: null }];
  const spans: PhaseSpan[] = [{ phase: first.from, reason: null, from: createdAt, to: null }];
  for (const { at, phase, reason } of changes) {
    const last = spans.at(-1);
    if (last?.phase === phase && last.reason === reason) continue;
    if (last) last.to = at;
    spans.push({ phase, reason, from: at, to: null });
  }
  return spans.filter(({ from, to }) => to === null || to > from).slice(-MOST);
}

const isChange = (data: unknown): data is { from: string; phase: string; reason: string | null } =>
  typeof data === 'object' && data !== null && 'phase' in data && typeof data.phase === 'string' && 'from' in data;
