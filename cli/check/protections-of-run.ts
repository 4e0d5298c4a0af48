import type { Protections, RunEnd } from '../../infra/compute.ts';
import { exposureOf } from '../../infra/compute/run-protocol/exposure.ts';

/** Where a run was, and what its task asked for. */
export interface Ran {
  end: Pick<RunEnd, 'containment' | 'sandboxed'>;
  required: boolean;
  /** Whether its worker, or its login, is root. */
  isRoot: boolean;
  remote: boolean;
}

/**
 * The protections that a run had, where who asks would give another level than its worker gave: by its own end. The network of a
 * user of its own counts as closed only where that was required.
 */
export function protectionsOfRun(asked: Protections, { end, required, isRoot, remote }: Ran): Protections {
  const { containment, sandboxed } = end;
  if (containment === asked.containment && sandboxed === asked.sandboxed) return asked;
  const ownUid = containment === 'uid' || (sandboxed && isRoot);
  const networkClosed = sandboxed || (containment === 'uid' && required);
  const level = { containment, sandboxed, ownUid, networkClosed };
  return {
    ...{ containment, sandboxed, network: networkClosed, filesystem: sandboxed },
    ...{ processes: containment === 'pid-namespace', uid: ownUid },
    exposure: exposureOf(level, { isRoot, remote }),
    notes: [
      `These are of the run, by its own end. Asked from here, another user or a smaller part of the machine, they would be those of ${asked.containment}${asked.sandboxed ? ' with a sandbox' : ''}.`,
    ],
  };
}
