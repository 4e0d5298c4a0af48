/** Header that carries the page's token against forged requests. */
export const STEER_HEADER = 'x-perpetua-steer';
