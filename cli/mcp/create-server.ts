import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { toCliError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { toFailure, toResult } from './answer.ts';
import { registerResources } from './resources.ts';
import type { Call, Session } from './session.ts';
import { PROPOSE } from './tools/propose.ts';
import { READ } from './tools/read.ts';
import { READS } from './tools/reads.ts';
import { STEERS } from './tools/steers.ts';
import type { Tool } from './tools/tool.ts';
import { WAIT } from './tools/wait.ts';

export const TOOLS: readonly Tool[] = [...READS, READ, PROPOSE, WAIT, ...STEERS];

const INSTRUCTIONS =
  'Perpetua runs research loops: it tries changes of the mutable files of a task, scores each by the evaluator of ' +
  'the task, and keeps a change only if its gain is more than luck. A research goes on without you. Begin with ' +
  '`tasks` and `status`. To try a change of your own: read the task and the files of the lead, `propose` whole ' +
  'files with a hypothesis, then `wait` with the key. perpetua://skill explains verdicts and how to write a task.';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Creates a server with all tools and resources. It has no state: one may serve a single request. */
export function createServer(session: Session): McpServer {
  const server = new McpServer({ name: 'perpetua', version: VERSION }, { instructions: INSTRUCTIONS });
  for (const { name, title, description, input, readOnly, run } of TOOLS)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false },
      },
      async (args: unknown, extra: Extra) => {
        try {
          return toResult(await run(args as never, { session, signal: extra.signal, report: reporter(extra) }));
        } catch (error) {
          return toFailure(toCliError(error).message);
        }
      },
    );
  registerResources(server, ({ signal }): Call => ({ session, signal, report: () => Promise.resolve() }));
  return server;
}

/** Sends each message as progress, if the client asked for progress. */
function reporter({ _meta, sendNotification }: Extra): Call['report'] {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}
