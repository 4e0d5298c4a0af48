type Env = Record<string, string | undefined>;

/** Variables that name a proxy; programs read one case or the other. */
const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'grpc_proxy'];
/** Spellings of this machine's own addresses. Some libraries compare texts, others read a network. */
const LOCAL = ['localhost', '127.0.0.1', '127.0.0.0/8', '::1', '[::1]'];

/**
 * Excludes the addresses of this machine from all proxies of an environment, for this process and its children: gRPC,
 * Node, Python and Rust each read `no_proxy` or `NO_PROXY`. The user's entries stay. Without a proxy, nothing changes.
 */
export function keepLocalDirect(env: Env = process.env): void {
  if (PROXIES.every((name) => !env[name] && !env[name.toUpperCase()])) return;
  // gRPC's client reads lower case only.
  for (const name of ['https_proxy', 'grpc_proxy']) {
    const value = env[name] || env[name.toUpperCase()];
    if (value) env[name] = value;
  }
  const entries = withLocal(`${env.no_proxy ?? ''},${env.NO_PROXY ?? ''}`);
  env.no_proxy = entries;
  env.NO_PROXY = entries;
  // This variable replaces `no_proxy` for gRPC.
  if (env.no_grpc_proxy) env.no_grpc_proxy = withLocal(env.no_grpc_proxy);
}

const withLocal = (entries: string): string => {
  // An empty entry would match every host in gRPC's client, and an entry with a blank none.
  const given = entries.split(/[\s,]+/).filter((entry) => entry !== '');
  return [...new Set([...given, ...LOCAL])].join(',');
};
