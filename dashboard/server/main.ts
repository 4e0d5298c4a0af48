import { existsSync } from 'node:fs';
import { dashboardPageIn } from '../../config/paths.ts';
import { resolveTemporal } from '../../config/resolve.ts';
import { loadConfig } from '../../config/load.ts';
import { endListening, writeListening } from '../../config/dashboard/listening.ts';
import { ensureSecret } from '../../config/dashboard/secret.ts';
import { readSettings } from '../../config/dashboard/settings.ts';
import { createDashboard } from './serve.ts';
import { openBacklog } from './source/open-backlog.ts';

const HOME_EVERY_MS = 10_000;
// A full disk below the log must not end the dashboard.
process.stderr.on('error', () => undefined);

const config = loadConfig();
const { home, packageRoot } = config;
const log = (message: string): void => {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`);
};

const secret = ensureSecret(home);
const dashboard = await createDashboard({
  home,
  secret,
  page: dashboardPageIn(packageRoot),
  settings: () => readSettings(home),
  onError: log,
  ...(readSettings(home).steer ? { steer: { server: () => resolveTemporal(config), env: config.env } } : {}),
  readBacklog: openBacklog(config),
});
const { host, port } = dashboard;
const end = (): void => {
  endListening(home, process.pid);
  void dashboard.close().finally(() => process.exit(0));
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
// Ends the process if its home was removed: nothing else would stop it.
setInterval(() => {
  if (!existsSync(home)) end();
}, HOME_EVERY_MS).unref();

log(`listens on ${host}, port ${port}`);
// Last: whoever reads this may signal the process, or read its log, at once.
writeListening(home, { pid: process.pid, host, port }, secret);
