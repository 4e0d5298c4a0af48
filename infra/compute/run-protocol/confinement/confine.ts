import { SandboxUnavailableError, type Protections, type RunSpec, type SandboxMode } from '../../../compute.ts';
import type { Confinement } from './confinement.ts';
import type { RunHost } from '../run-host.ts';
import { slotUid } from '../environment.ts';
import { exposureOf } from './exposure.ts';

/** Instructions to get a sandbox, as the end of a sentence. */
const howFor = (isRoot: boolean): string =>
  isRoot
    ? 'give root the right CAP_SYS_ADMIN; in a container, also a seccomp profile that allows unshare and mount'
    : 'run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and, on Ubuntu, ' +
      'kernel.apparmor_restrict_unprivileged_userns=0; ' +
      'in a container, a seccomp profile that allows unshare and mount)';
const FILTER = 'the filter of system calls that closes the network';

/**
 * Confinement of a run, and its uid: `owner` if its files exist already, else the slot's uid. Throws
 * SandboxUnavailableError if the run requires a sandbox and the host cannot close the network to it.
 */
export async function confine(
  context: RunHost,
  spec: Pick<RunSpec, 'sandbox' | 'slot'>,
  owner?: number,
): Promise<{ confinement: Confinement; uid: number | null }> {
  const confinement = await context.confinement(spec.sandbox !== 'none');
  if (spec.sandbox === 'required' && !confinement.networkClosed)
    throw new SandboxUnavailableError(
      `sandbox: required, but host ${context.host} cannot close its network and its servers to a run: ` +
        `${lackOf(confinement, await context.isRoot())}. ` +
        'Or set run.sandbox: preferred; trials there are then untrusted',
    );
  return { confinement, uid: confinement.ownUid ? (owner ?? slotUid(context, spec.slot)) : null };
}

/** Description of what the host lacks to close the network, and how to get it. */
const lackOf = ({ ownUid }: Confinement, isRoot: boolean): string =>
  `it makes no namespaces for a sandbox (${howFor(isRoot)}), and ` +
  (ownUid
    ? `a run with a user of its own did not get ${FILTER} (install perl; it works on x86-64 and ARM64)`
    : `only root can give a run a user of its own with ${FILTER}`);

/** Protections that this host gives a run in a sandbox mode. */
export async function protections(context: RunHost, mode: SandboxMode): Promise<Protections> {
  const confinement = await context.confinement(mode !== 'none');
  const { containment, sandboxed, ownUid, ownKeys, networkClosed, vsockClosed, loopback, groups } = confinement;
  const isRoot = await context.isRoot();
  const processes = containment === 'pid-namespace';
  const notes: string[] = [];
  if (!ownUid && isRoot) notes.push('A run is root here, as the worker is: it can change everything on this machine.');
  if (sandboxed && !ownKeys)
    notes.push(
      "A run can leave 20 KB in the kernel's keyrings for later runs of its slot: " +
        'allow user namespaces, with util-linux 2.38 or newer.',
    );
  if (sandboxed && !vsockClosed)
    notes.push(
      'A run may open sockets between a virtual machine and its host (AF_VSOCK): install perl, on x86-64 or ARM64.',
    );
  if (sandboxed && !loopback)
    notes.push(
      'A run has no loopback: a program that connects to itself by TCP fails. Install iproute2, busybox or perl.',
    );
  if (!sandboxed && mode !== 'none')
    notes.push(
      networkClosed ? `For a sandbox: ${howFor(isRoot)}.` : `The network is open: ${lackOf(confinement, isRoot)}.`,
    );
  if (!sandboxed && networkClosed)
    notes.push('A run has no loopback: a program that connects to itself by TCP needs the sandbox.');
  if (!sandboxed && ownUid)
    notes.push('The user of a run has its name in USER and LOGNAME alone: getpwuid and whoami fail.');
  if (!processes) notes.push('A process that leaves its group may outlive the run (best effort).');
  return {
    containment,
    sandboxed,
    network: networkClosed,
    filesystem: sandboxed,
    processes,
    uid: ownUid,
    groups,
    exposure: exposureOf(confinement, { isRoot, remote: context.remote }),
    notes,
  };
}
