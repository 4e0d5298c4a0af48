/** A period in one phase; `to` is null while it lasts. Times are in ISO 8601. */
export interface PhaseSpan {
  phase: string;
  reason: string | null;
  from: string;
  to: string | null;
}

/** An event of a phase. Older versions may have stored data of another form. */
interface PhaseEvent {
  at: string;
  data: unknown;
}

/** Largest number of spans; beyond it only the last ones are kept. */
const MOST_SPANS = 200;

/**
 * The phases of a research, from its events. The first event also gives the phase before it. A research without events,
 * from an older version, has only its current phase. A repeated event with equal phase and reason starts no new span.
 */
export function phaseSpans(
  events: readonly PhaseEvent[],
  { createdAt, now }: { createdAt: string; now: { phase: string; reason: string | null } },
): PhaseSpan[] {
  const changes = events.flatMap(({ at, data }) => (isChange(data) ? [{ at, ...data }] : []));
  const [first] = changes;
  if (!first) return [{ ...now, from: createdAt, to: null }];
  const spans: PhaseSpan[] = [{ phase: first.from, reason: null, from: createdAt, to: null }];
  for (const { at, phase, reason } of changes) {
    const last = spans.at(-1);
    if (last?.phase === phase && last.reason === reason) continue;
    if (last) last.to = at;
    spans.push({ phase, reason, from: at, to: null });
  }
  return spans.filter(({ from, to }) => to === null || to > from).slice(-MOST_SPANS);
}

const isChange = (data: unknown): data is { from: string; phase: string; reason: string | null } =>
  typeof data === 'object' && data !== null && 'phase' in data && typeof data.phase === 'string' && 'from' in data;
