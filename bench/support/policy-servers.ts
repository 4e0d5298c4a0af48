import { findProcesses } from '../../infra/process/list.ts';
import { stopProcess } from '../../infra/process/stop.ts';

/** The policy servers of a home, including those that are starting. */
export const policyServers = (home: string) =>
  findProcesses((args) => args.includes('serve') && args.some((word) => word.startsWith(`${home}/`)));

/** Ends the policy servers of a home, which would outlive their worker by a quarter of an hour. */
export async function endServers(home: string): Promise<void> {
  await Promise.all(policyServers(home).map((server) => stopProcess(server, { graceMs: 30_000 })));
}
