/** Time without a look after which the next look is a new one. A reload or a second tab belongs to the same look. */
const AWAY_MS = 30 * 60_000;
const DAY_MS = 24 * 3_600_000;

/** A look at the dashboard by one browser: from `since` on, its person has not seen what happened. */
export interface Look {
  /** End of the look before; for the first look of a browser, the time a day before. ISO 8601. */
  since: string;
  /** Last time at which a page was visible. ISO 8601. */
  looked: string;
  /** True for the first look of a browser. */
  isFirst: boolean;
}

/** The look at a time, from the stored one. */
export function lookAt(stored: Look | null, now: Date): Look {
  const looked = now.toISOString();
  if (stored === null) return { since: new Date(now.getTime() - DAY_MS).toISOString(), looked, isFirst: true };
  const away = now.getTime() - Date.parse(stored.looked);
  return away > AWAY_MS ? { since: stored.looked, looked, isFirst: false } : { ...stored, looked };
}

/** Decodes a stored look; null if there is none, or its text is invalid. */
export function lookOf(text: string | null): Look | null {
  try {
    const look = JSON.parse(text ?? 'null') as Partial<Look> | null;
    const isValid = isMoment(look?.since) && isMoment(look?.looked) && typeof look?.isFirst === 'boolean';
    return isValid ? (look as Look) : null;
  } catch {
    return null;
  }
}

const isMoment = (text: unknown): boolean => typeof text === 'string' && !Number.isNaN(Date.parse(text));
