/** Arguments of `postgres`: only on 127.0.0.1, no socket file (a deep home makes its path too long), durable. */
export function postgresArguments(options: { durable: boolean }): string[] {
  const sync = options.durable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    fsync: sync,
    synchronous_commit: sync,
    full_page_writes: sync,
    // Workers, dashboards and a person's psql; a worker holds about ten.
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // A worker that was frozen or cut off must not hold its row locks for ever.
    idle_in_transaction_session_timeout: '5min',
    tcp_keepalives_idle: '30',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Where its data lies and which port it has. All users read command lines, an environment only its owner. */
export const postgresEnvironment = (options: { data: string; port: number; bin: string }): Record<string, string> => ({
  PGDATA: options.data,
  PGPORT: String(options.port),
  // By its name alone it finds itself here.
  PATH: `${options.bin}:/usr/bin:/bin`,
  LC_ALL: 'C',
  TZ: 'UTC',
});
