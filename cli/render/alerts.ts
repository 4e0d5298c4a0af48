import type { Alert } from '../../db/reads/read-alerts.ts';
import { formatAgo } from './number.ts';
import { oneLine } from './text.ts';

const SHOWN_HOURS = 24;
const SHOWN = 5;

/** What people are shown of the alerts: those of the last 24 hours, each message once, the newest. */
export function freshAlerts(alerts: readonly Alert[], now: Date, shown = SHOWN): Alert[] {
  const from = now.getTime() - SHOWN_HOURS * 3_600_000;
  const seen = new Set<string>();
  const fresh = alerts.filter(({ at, message }) => {
    if (new Date(at).getTime() < from || seen.has(message)) return false;
    return seen.add(message);
  });
  return fresh.slice(0, shown);
}

/** An alert with its age. */
export const describeAlert = ({ at, message }: Alert, now: Date): string =>
  `${formatAgo(new Date(at), now)}: ${oneLine(message)}`;

/** The alerts that people are shown, in lines. */
export const describeAlerts = (alerts: readonly Alert[], now: Date): string[] =>
  freshAlerts(alerts, now).map((alert) => describeAlert(alert, now));
