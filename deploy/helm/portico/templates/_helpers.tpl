{{- define "portico.name" -}}
{{- $name := printf "%s-%s" .Release.Name .Chart.Name }}
{{- if contains .Chart.Name .Release.Name }}{{ $name = .Release.Name }}{{ end }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "portico.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "portico.labels" -}}
{{ include "portico.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
