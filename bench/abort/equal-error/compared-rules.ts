import { DEFAULT_AUDIT, type AuditPlan } from '../../../domain/abort/audit/audit-plan.ts';
import type { Yardstick } from '../yardstick.ts';

export const AUDITS: readonly { name: string; plan: AuditPlan }[] = [
  { name: 'first 5, 10 %', plan: DEFAULT_AUDIT },
  { name: '5 %', plan: { first: 0, share: 0.05 } },
];

interface Compared {
  name: string;
  audit: string;
  rule: Yardstick;
}

/** Names of the rows of the bounds, and the start of those of the yardstick. */
export const [FORESIGHT, MONOTONE, YARDSTICK] = ['perfect foresight', 'best monotone, in hindsight', 'yardstick z ='];

/** A bound without an audit, and with each kind of audit. */
const bound = (name: string, kind: 'foresight' | 'monotone'): Compared[] => [
  { name, audit: 'none', rule: { kind } },
  ...AUDITS.map((audit) => ({ name, audit: audit.name, rule: { kind, audit: audit.plan } })),
];

/** The bounds and the plain rules to compare with, in the order of the tables. */
export const YARDSTICKS: readonly Compared[] = [
  ...bound(FORESIGHT, 'foresight'),
  ...bound(MONOTONE, 'monotone'),
  // The largest z are for tracks on which a small one loses a fifth of the would-be incumbents or more.
  ...[1.64, 2.33, 3, 3.5, 4, 4.5, 6, 8, 12, 20].map((z) => ({
    name: `${YARDSTICK} ${z}`,
    audit: '5 %',
    rule: { kind: 'regression', z } as const,
  })),
  { name: 'plain median', audit: '5 %', rule: { kind: 'median' } },
];
