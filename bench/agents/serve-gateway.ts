/** Serves a gateway with a ledger that only counts: node --import tsx serve-gateway.ts SOCKET URL */
import { createGateway } from '../../infra/gateway/create-gateway.ts';
import { readEndpoints } from '../../infra/gateway/endpoints.ts';

const [socket, url] = process.argv.slice(2);
if (socket === undefined || url === undefined) throw new Error('expected a socket and a URL');
const at = { baseUrl: url, apiKey: 'sk-bench-0123456789' };
let calls = 0;
const ledger = {
  begin: () => Promise.resolve({ turn: (calls += 1) }),
  end: () => Promise.resolve(),
  fail: () => Promise.resolve(),
};
const gateway = createGateway({ endpoints: readEndpoints({ openai: at, anthropic: at, gemini: at }) });
await gateway.serve(socket, { ledger, role: 'proposer' });
console.log(`gateway at ${socket}`);
