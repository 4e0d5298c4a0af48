/** True for an address or name on which only this machine reaches a server. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** Error text for a page that may steer, on an address that other machines reach. */
export const notLoopback = (host: string): string =>
  `Expected --steer with a page that only this machine reaches: --host 127.0.0.1, ::1 or localhost; got ${host}. ` +
  'To steer from another machine, forward the port by SSH, or use a tunnel and --allow-host.';
