import { spawn } from 'node:child_process';
import { toolEnv } from '../../config/child-env.ts';
import { dashboardFiles } from '../../config/dashboard/files.ts';
import type { Config } from '../../config/load.ts';

/** Whether a person sits before this process, and a browser can show itself. */
export const hasDisplay = ({ env }: Pick<Config, 'env'>, platform = process.platform): boolean =>
  platform === 'darwin' || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;

/** Whether a terminal is asked from and answers to, outside of a build server. */
export const isAttended = ({ env }: Pick<Config, 'env'>, stdout: { isTTY?: boolean }): boolean =>
  process.stdin.isTTY && stdout.isTTY === true && env.CI === undefined;

/** Opens a browser on the file that leads in: an address with the token in it would stand in its arguments. */
export function openBrowser(config: Config): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [dashboardFiles(config.home).open], {
    ...{ stdio: 'ignore', detached: true, env: toolEnv(config) },
  });
  // Where there is no such program, the address is on the terminal.
  child.on('error', () => undefined);
  child.unref();
}
