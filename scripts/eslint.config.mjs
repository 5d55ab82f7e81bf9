/** n8n's rules are for what is published. These files keep those of `eslint.own.config.mjs` only. */
export default [{ ignores: ['**'] }];
