import type { HostCheck } from './check-host.ts';

/**
 * Makes a check that receives each host in turn. It adds a problem if the host is the machine of an earlier host: the
 * slots of that machine would be lent twice.
 */
export function createSameMachineCheck(): (check: HostCheck) => void {
  const hosts = new Map<string, string>();
  return ({ host, machine, problems }) => {
    const boot = machine?.boot ?? '';
    if (boot === '') return;
    const other = hosts.get(boot);
    hosts.set(boot, other ?? host);
    if (other !== undefined)
      problems.push(
        `the same machine as ${other} (one boot id), or a container on it: shared cores and GPUs are lent twice; ` +
          'take one out of the file, unless each has cores and GPUs of its own',
      );
  };
}
