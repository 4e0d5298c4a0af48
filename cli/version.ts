/** Version of the package. */
export const VERSION = '0.3.0';
