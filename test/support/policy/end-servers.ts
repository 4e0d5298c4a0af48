export { endServers } from '../../../bench/support/policy-servers.ts';
