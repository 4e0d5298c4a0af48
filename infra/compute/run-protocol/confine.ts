import { SandboxUnavailableError, type Protections, type RunSpec, type SandboxMode } from '../../compute.ts';
import type { Confinement } from './confinement.ts';
import type { RunHost } from './run-host.ts';
import { slotUid } from './environment.ts';

const HOW =
  'run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and, on Ubuntu, ' +
  'kernel.apparmor_restrict_unprivileged_userns=0; in a container, a seccomp profile that allows unshare and mount)';

/**
 * The confinement of a run and its uid: the owner of its files where they are there already, else the slot's. Throws
 * SandboxUnavailableError where one is required and cannot be had.
 */
export async function confine(
  context: RunHost,
  spec: Pick<RunSpec, 'sandbox' | 'slot'>,
  owner?: number,
): Promise<{ confinement: Confinement; uid: number | null }> {
  const confinement = await context.confinement(spec.sandbox !== 'none');
  if (spec.sandbox === 'required' && !confinement.sandboxed && !confinement.ownUid)
    throw new SandboxUnavailableError(`sandbox: required, but host ${context.host} cannot give one; ${HOW}`);
  return { confinement, uid: confinement.ownUid ? (owner ?? slotUid(context, spec.slot)) : null };
}

/** What this host gives a run under a mode, in words too. */
export async function protections(context: RunHost, mode: SandboxMode): Promise<Protections> {
  const { containment, sandboxed, ownUid, ownKeys, vsockClosed } = await context.confinement(mode !== 'none');
  const isRoot = await context.isRoot();
  const processes = containment === 'pid-namespace';
  const notes: string[] = [];
  if (sandboxed) notes.push('A run sees system folders read-only, its own directory, and no network or other process.');
  else if (ownUid)
    notes.push('A run has a user of its own, but sees the network and all files that everybody may read.');
  else notes.push("A run can read your keys and the worker's environment, and change its own score.");
  if (!ownUid && isRoot) notes.push('A run is root here, as the worker is: it can change everything on this machine.');
  if (sandboxed && !ownKeys)
    notes.push(
      "A run can leave 20 KB in the kernel's keyrings for later runs of its slot: allow user namespaces, with util-linux 2.38 or newer.",
    );
  if (sandboxed && !vsockClosed)
    notes.push(
      'A run may open sockets between a virtual machine and its host (AF_VSOCK): install perl, on x86-64 or ARM64.',
    );
  if (!sandboxed && mode !== 'none') notes.push(`For a sandbox: ${HOW}.`);
  if (!processes) notes.push('A process that leaves its group may outlive the run (best effort).');
  return {
    containment,
    sandboxed,
    network: sandboxed,
    filesystem: sandboxed,
    processes,
    uid: ownUid,
    notes,
  };
}
