export { withdrawN8n as default } from './offerN8n';
