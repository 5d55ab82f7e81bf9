// n8n's engine logs every failed execution, and failing is what many tests are about.
process.env.N8N_LOG_LEVEL = 'silent';
