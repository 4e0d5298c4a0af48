import type { Io } from '../io.ts';
import { configOf } from '../context.ts';
import { resolveTemporal } from '../../config/resolve.ts';
import { temporalShellVariables } from '../up/temporal-shell-variables.ts';

/**
 * Note with the variables that a shell needs for the `temporal` commands in the texts. Null if the texts have no such
 * command, the shell has the variables, or no server runs.
 */
export async function shellNote(io: Io, texts: readonly string[]): Promise<string | null> {
  if (!texts.some((text) => text.includes('temporal workflow '))) return null;
  const config = configOf(io);
  const temporal = await resolveTemporal(config).catch(() => null);
  const shell = temporal === null ? [] : temporalShellVariables(config, temporal);
  return shell.length === 0
    ? null
    : `note: before the first temporal command in this shell, run: export ${shell.join(' ')}`;
}
