import { withoutPassword } from '../up/addresses.ts';
import { findInstalledCli, onPath } from '../../infra/temporal/cli/find-cli.ts';
import type { Config } from '../../config/load.ts';
import { RefusedDatabaseError } from '../../db/session/refused-database.ts';
import { requireUsableDatabase } from '../../db/session/require-usable-database.ts';
import { homePaths } from '../../config/paths.ts';
import { toolEnv } from '../../config/child-env.ts';
import { probeLocalAddress } from '../../infra/temporal/probe-local-address.ts';
import { type Finding, missing, ok, reasonOf, remark } from './finding.ts';
import { findBinaries } from '../../infra/postgres/binaries.ts';
import { postgresUser } from '../../infra/postgres/os-user.ts';
import { copiesFolder, dataOwner } from '../../infra/postgres/data-folder.ts';
import pg from 'pg';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { clientOptions } from '../../infra/temporal/connection-options.ts';
import { grpcProxyOf } from '../../infra/temporal/grpc-proxy.ts';
import { namespaceAdvice, NOT_FOUND } from '../../infra/temporal/namespace-missing.ts';
import { connectFailure } from '../../infra/temporal/temporal-unreachable.ts';

/** Checks the Temporal server: the environment's, else a binary on this machine, else the means to get one. */
export async function checkTemporal(config: Config): Promise<Finding> {
  const { address } = config.temporal;
  if (address !== null) return checkTemporalAddress(config, address);
  try {
    const keptAt = homePaths(config.home).temporalCli;
    const cli = await findInstalledCli({ cliPath: config.temporalCliPath, keptAt, env: toolEnv(config) });
    if (cli) return ok('temporal', `server ${cli.version.server} (${cli.way}: ${cli.path})`);
  } catch (error) {
    return missing('temporal', reasonOf(error), 'correct or unset TEMPORAL_CLI_PATH');
  }
  const canBuild = onPath('go', config.env.PATH ?? '').length > 0;
  const way = canBuild
    ? 'downloads it, or builds it with Go in about 4 minutes'
    : 'downloads it, if the network allows that';
  const fix = 'set TEMPORAL_ADDRESS, put `temporal` on the PATH, or set TEMPORAL_CLI_PATH';
  return remark('temporal', `no binary yet: the first start ${way}`, fix);
}

/** Longest wait for a connection. */
const CONNECT_SECONDS = 5;

async function checkTemporalAddress(config: Config, address: string): Promise<Finding> {
  const fix = 'start that server, or correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE';
  const refusal = await probeLocalAddress(address);
  if (refusal !== null) return missing('temporal', `${address}: ${refusal}`, fix);
  try {
    const options = clientOptions({ address, connection: config.temporal.connection }, config.env);
    const connection = await Connection.connect({ ...options, connectTimeout: CONNECT_SECONDS * 1000 });
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    await connection.workflowService.describeNamespace({ namespace: config.temporal.namespace });
    await connection.close();
    const proxy = grpcProxyOf(address, config.env);
    const way = proxy === null ? '' : `, by the proxy ${proxy.address} of ${proxy.variable}`;
    return ok('temporal', `server ${serverVersion} at ${address}, namespace ${config.temporal.namespace}${way}`);
  } catch (error) {
    const { namespace } = config.temporal;
    if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND)
      return missing('temporal', `${address} has no namespace ${namespace}`, namespaceAdvice({ address, namespace }));
    const why = await connectFailure(error, { address, seconds: CONNECT_SECONDS, env: config.env });
    return missing('temporal', `${address}: ${why}`, fix);
  }
}

/** Checks who besides the owner can use this installation: everybody who can reach its Temporal server. */
export async function checkUsers({ temporal }: Config): Promise<Finding> {
  const { address, connection } = temporal;
  const { tls, apiKey } = connection;
  const isKeyed = Boolean(apiKey) || (typeof tls === 'object' && Boolean(tls?.clientCertPair));
  if (address !== null && isKeyed)
    return ok('users', 'Temporal gets a key or a certificate, which other users of this machine do not have');
  const user = process.getuid?.() === 0 ? 'root' : 'you';
  const machine = address === null ? 'this machine' : 'its machine';
  return remark(
    'users',
    `Temporal asks for no password: whoever can log in to ${machine} can run commands as ${user}`,
    'if you do not trust everyone who can log in, follow docs/guides/shared-machine.md',
  );
}

/** Checks Postgres: the environment's server, else the package's programs, which must run on this machine. */
export async function checkPostgres(config: Config): Promise<Finding> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) return checkDatabaseUrl(databaseUrl);
  try {
    const user = postgresUser(dataOwner(homePaths(config.home).postgres));
    const { version } = await findBinaries(user, copiesFolder(user, config.home));
    return ok('postgres', `${version}, embedded${user ? `, runs as ${user.name}` : ''}`);
  } catch (error) {
    return missing('postgres', reasonOf(error), 'set DATABASE_URL to a Postgres of your own');
  }
}

async function checkDatabaseUrl(url: string): Promise<Finding> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // the query below reports it
  const shown = withoutPassword(url);
  try {
    await client.connect();
    await requireUsableDatabase(client, url);
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return ok('postgres', `${rows[0]?.version} at ${shown}`);
  } catch (error) {
    if (error instanceof RefusedDatabaseError) return missing('postgres', error.message, 'do that, then start again');
    return missing('postgres', `${shown}: ${reasonOf(error)}`, 'start that Postgres, or correct DATABASE_URL');
  } finally {
    await client.end().catch(() => undefined); // fails if the client never connected
  }
}
