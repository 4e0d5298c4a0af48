import type { Alert } from '../../db/reads/read-alerts.ts';
import { formatAgo } from './number.ts';
import { oneLine } from './text.ts';

const SHOWN_HOURS = 24;
const SHOWN = 5;

/** What people are shown of the alerts: those of the last 24 hours, each message once, the newest five. */
export function describeAlerts(alerts: Alert[], now: Date): string[] {
  const from = now.getTime() - SHOWN_HOURS * 3_600_000;
  const seen = new Set<string>();
  const fresh = alerts.filter(({ at, message }) => {
    if (new Date(at).getTime() < from || seen.has(message)) return false;
    return seen.add(message);
  });
  return fresh.slice(0, SHOWN).map(({ at, message }) => `${formatAgo(new Date(at), now)}: ${oneLine(message)}`);
}
