import { findProcesses } from '../../../infra/process/list.ts';
import { stopProcess } from '../../../infra/process/stop.ts';

/** Ends the policy servers of a home, those that only begin too: they outlive who started them, by a quarter of an hour. */
export async function endServers(home: string): Promise<void> {
  const servers = findProcesses((args) => args.includes('serve') && args.some((word) => word.startsWith(`${home}/`)));
  await Promise.all(servers.map((server) => stopProcess(server, { graceMs: 30_000 })));
}
