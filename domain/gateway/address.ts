/** Port of the gateway on the loopback of a program's own network. */
export const GATEWAY_PORT = 8080;
/** Base URL of the gateway there, without `/v1`. */
export const GATEWAY_URL = `http://127.0.0.1:${GATEWAY_PORT}`;
