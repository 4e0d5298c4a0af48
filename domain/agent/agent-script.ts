import { GATEWAY_PORT } from '../gateway/address.ts';
import { shellQuote } from '../text/shell-quote.ts';
import type { AgentRun } from './agent-run.ts';

/** Folder in the work tree with the files that Perpetua adds. The agent's script moves it away first. */
export const AGENT_FOLDER = '.perpetua-agent';
/** The same folder for the agent: below its own /tmp. */
const PLACE = '/tmp/perpetua-agent';
export const AGENT_HOME = `${PLACE}/home`;
export const AGENT_PROMPT = `${PLACE}/prompt.md`;
/** Exit code of a run whose relay to the gateway did not start. */
export const NO_RELAY = 97;

/** Starts of an agent that signals end, and doublings of the pause before each further one. */
const STARTS = 10;
const DOUBLINGS = 4;

interface Paths {
  node: string;
  /** Socket of the worker's half of the gateway. */
  socket: string;
}

/**
 * The shell command of an agent's run. It sets HOME, which is the work tree in any other run. It starts the relay and
 * starts it again if it ends. It commits the parent to a Git repository and starts the agent in the work tree. An agent
 * that a signal ended is started again, with its conversation if it can resume one.
 */
export function agentScript(
  { command, resume, transcript }: Pick<AgentRun, 'command' | 'resume' | 'transcript'>,
  { node, socket }: Paths,
): string {
  return `mkdir -p ${PLACE} && cp -R ${AGENT_FOLDER}/. ${PLACE} && rm -rf ${AGENT_FOLDER} || exit
mkdir -p ${AGENT_HOME} || exit
export HOME=${AGENT_HOME}
relay() { ${shellQuote(node)} ${PLACE}/relay.mjs ${GATEWAY_PORT} ${shellQuote(socket)} ${PLACE}/ready >/dev/null; }
(while relay; [ -e ${PLACE}/ready ]; do sleep 0.1; done) &
relay=$!
until [ -e ${PLACE}/ready ]; do
  kill -0 "$relay" 2>/dev/null || { echo 'the relay to the model gateway did not start' >&2; exit ${NO_RELAY}; }
  sleep 0.05
done
if command -v git; then
  git init -q . && git add -A &&
    git -c user.name=perpetua -c user.email=perpetua@localhost commit -q --allow-empty -m 'The parent'
fi >/dev/null 2>&1
sh -c ${shellQuote(command)} </dev/null
code=$? starts=1
while [ "$code" -ge 128 ] && [ "$starts" -lt ${STARTS} ]; do
  sleep "$((1 << (starts < ${DOUBLINGS} ? starts : ${DOUBLINGS})))"
  starts=$((starts + 1))
  echo "a signal ended the agent (exit code $code): start $starts of ${STARTS}" >&2
${startAgain({ command, resume, transcript })}
  code=$?
done
exec 2>/dev/null
kill "$relay"
exit "$code"
`;
}

/** Prompt of an agent that resumes its conversation. */
const GO_ON = 'Go on with your task where you were interrupted.';

/** Lines that start an agent again: with its conversation, if it can resume one and has begun one. */
function startAgain({ command, resume, transcript }: Pick<AgentRun, 'command' | 'resume' | 'transcript'>): string {
  const begin = `sh -c ${shellQuote(command)} </dev/null`;
  if (resume === null) return `  ${begin}`;
  const goOn = `{ echo '${GO_ON}' >${AGENT_PROMPT}; sh -c ${shellQuote(resume)} </dev/null; }`;
  if (transcript === null) return `  ${goOn}`;
  return `  if (cd ${AGENT_HOME} && ls ${transcript}) >/dev/null 2>&1; then ${goOn}; else ${begin}; fi`;
}
