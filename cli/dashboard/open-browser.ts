import { spawn } from 'node:child_process';
import { toolEnv } from '../../config/child-env.ts';
import { dashboardFiles } from '../../config/dashboard/files.ts';
import type { Config } from '../../config/load.ts';

/** True if a browser can open a window on this machine. */
export const hasDisplay = ({ env }: Pick<Config, 'env'>, platform = process.platform): boolean =>
  platform === 'darwin' || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;

/** True if input and output are a terminal, and this is no build server. */
export const isAttended = ({ env }: Pick<Config, 'env'>, stdout: { isTTY?: boolean }): boolean =>
  process.stdin.isTTY && stdout.isTTY === true && env.CI === undefined;

/** Opens a browser on a local file that leads to the dashboard: a link in the arguments would show the token. */
export function openBrowser(config: Config): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [dashboardFiles(config.home).open], {
    stdio: 'ignore',
    detached: true,
    env: toolEnv(config),
  });
  // If the program is missing, the terminal still shows the link.
  child.on('error', () => undefined);
  child.unref();
}
