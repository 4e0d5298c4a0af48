import { expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { temporalShell } from '../../../cli/up/temporal-shell.ts';

const at = { address: '127.0.0.1:40123', namespace: 'default' };
const shell = (env: Record<string, string>, temporal = at) =>
  temporalShell(loadConfig({ PATH: '/nonexistent', PERPETUA_HOME: '/srv/my state', ...env }), temporal);

test('a shell needs the address, and the folder of the binary that the stack keeps', () => {
  expect(shell({})).toEqual(['TEMPORAL_ADDRESS=127.0.0.1:40123', "PATH='/srv/my state/bin':$PATH"]);
  expect(shell({ TEMPORAL_CLI_PATH: '/opt/t/temporal' })[1]).toBe('PATH=/opt/t:$PATH');
  expect(shell({}, { ...at, namespace: 'labs' })[1]).toBe('TEMPORAL_NAMESPACE=labs');
});

test('where the environment names the server, the shell has it already', () => {
  expect(shell({ TEMPORAL_ADDRESS: 'temporal.example:7233' })).toEqual([]);
});
