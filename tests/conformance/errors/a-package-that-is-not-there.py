import requests
return requests
