import type { Protections } from '../../infra/compute.ts';

/** Describes who enforces the limits of memory and processes: the kernel by control groups, or the supervisor. */
export function describeLimits({ groups, sandboxed, uid }: Pick<Protections, 'groups' | 'sandboxed' | 'uid'>): string {
  const [limited, measured] = [true, false].map((isGrouped) =>
    (['memory', 'processes'] as const).filter((resource) => groups.includes(resource) === isGrouped).join(' and '),
  );
  const parts: string[] = [];
  if (limited) parts.push(`the kernel limits ${limited} by a control group`);
  // The worker's user owns the group, so that a run of this user may move its processes out of it.
  if (limited && !sandboxed && !uid) parts.push('a run can leave this group');
  if (measured) parts.push(`the supervisor measures ${measured} twice a second, and a run can evade that`);
  return parts.join('; ');
}
