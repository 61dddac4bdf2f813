import axios from 'axios';
return axios;
