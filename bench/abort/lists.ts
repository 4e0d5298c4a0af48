import { DEFAULT_AUDIT, type AuditPlan } from '../../domain/abort/audit/lot.ts';
import type { Yardstick } from './yardstick.ts';

export const AUDITS: readonly { name: string; plan: AuditPlan }[] = [
  { name: 'first 30, 5 %', plan: DEFAULT_AUDIT },
  { name: '5 %', plan: { first: 0, share: 0.05 } },
];

/** Names of rows that are compared with. */
export const [FORESIGHT, YARDSTICK] = ['perfect foresight', 'yardstick z ='];

/** The bounds and the plain rules that stand beside ours, in the order of the tables. */
export const YARDSTICKS: readonly { name: string; audit: string; rule: Yardstick }[] = [
  { name: FORESIGHT, audit: 'none', rule: { kind: 'foresight' } },
  ...AUDITS.map(({ name, plan }) => ({
    name: FORESIGHT,
    audit: name,
    rule: { kind: 'foresight', audit: plan } as const,
  })),
  { name: 'best monotone, in hindsight', audit: 'none', rule: { kind: 'monotone' } },
  ...[1.64, 2.33, 3, 3.5, 4, 4.5].map((z) => ({
    name: `${YARDSTICK} ${z}`,
    audit: '5 %',
    rule: { kind: 'regression', z } as const,
  })),
  { name: 'plain median', audit: '5 %', rule: { kind: 'median' } },
];
